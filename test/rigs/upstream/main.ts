/**
 * The counting upstream as a separate process: prints `{"port":…}` and serves until it is stopped or its
 * parent exits. Argument: one JSON object, the options of `startUpstream`.
 */
import { startUpstream, type UpstreamOptions } from "./server.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as UpstreamOptions;
const upstream = await startUpstream(options);
process.stdout.write(`${JSON.stringify({ port: upstream.port, baseUrl: upstream.baseUrl })}\n`);
const stop = (): void => {
  upstream.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.stdin.resume();
process.stdin.once("end", stop);
