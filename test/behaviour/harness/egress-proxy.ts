/** A proxy as an operator has one: it makes tunnels (CONNECT), to this machine whatever name is asked for. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { TestContext } from "node:test";

export interface TestProxy {
  /** With its user and password. */
  readonly url: string;
  /** `host:port` and the `Proxy-Authorization` of every tunnel asked for. */
  readonly asked: string[];
  /** True: it answers 407. */
  isRefusing: boolean;
}

/** Leads every tunnel to this machine, at the port asked for. Closed at the end of the test. */
export async function startProxy(t: TestContext, userinfo = "me:hunter2"): Promise<TestProxy> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const proxy: TestProxy = { url: `http://${userinfo}@127.0.0.1:${port}`, asked: [], isRefusing: false };
  server.on("connect", (req, socket) => {
    proxy.asked.push(`${req.url} ${req.headers["proxy-authorization"]}`);
    if (proxy.isRefusing) {
      socket.end("HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const onward = connect({ port: Number(req.url?.split(":").at(-1)), host: "127.0.0.1" }, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const side of [onward, socket]) side.on("error", () => {});
    t.after(() => onward.destroy());
  });
  return proxy;
}

/** What a proxy is shown for this user and password. */
export const basic = (userinfo: string): string => `Basic ${Buffer.from(userinfo).toString("base64")}`;
