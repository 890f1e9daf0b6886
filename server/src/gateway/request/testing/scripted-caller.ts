/** For tests: a caller with a prepared request. Its answer is collected, and it disconnects when told to. */
import type { BodySink, Exchange, ExchangeListener } from "../../../lib/net/exchange.ts";

export class ScriptedCaller implements Exchange {
  readonly method = "POST";
  readonly path = "/v1/echo";
  query = "";
  readonly headers: Record<string, string>;
  readonly peerAddress = "127.0.0.1";
  isReceived = false;
  listener: ExchangeListener | undefined;
  status = 0;
  readonly sent: Buffer[] = [];
  head: readonly string[] = [];
  isClosing = false;
  /** Runs when the body is requested, before it is sent. */
  onReceive: () => void = () => {};
  /** Runs after the whole body was sent. */
  afterBody: () => void = () => {};
  readonly #body: Buffer;
  #isOver = false;

  constructor(body: string, headers: Record<string, string>) {
    this.#body = Buffer.from(body);
    this.headers = { "content-length": String(this.#body.length), ...headers };
  }

  get text(): string {
    return Buffer.concat(this.sent).toString();
  }

  /** One header of the answer. */
  headerOf(name: string): string | undefined {
    const at = this.head.indexOf(name);
    return at < 0 ? undefined : this.head[at + 1];
  }

  /** How often the answer has this header. */
  countOf(name: string): number {
    return this.head.filter((one) => one === name).length;
  }

  receive(sink: BodySink): void {
    this.onReceive();
    queueMicrotask(() => {
      if (this.#isOver) return;
      sink.piece(this.#body);
      this.isReceived = true;
      sink.ended();
      this.afterBody();
    });
  }

  pause(): void {}
  resume(): void {}

  writeHead(status: number, headers: readonly string[]): void {
    this.status = status;
    this.head = headers;
  }

  write(bytes: Buffer): boolean {
    this.sent.push(Buffer.from(bytes));
    return true;
  }

  end(bytes?: Buffer): void {
    if (bytes !== undefined) this.sent.push(bytes);
    this.#over(true);
  }

  endAfterBody(): void {
    this.#over(true);
  }

  closeAfter(): void {
    this.isClosing = true;
  }

  destroy(): void {
    this.#over(false);
  }

  /** The caller's connection breaks. */
  leave(): void {
    this.#over(false);
  }

  #over(isComplete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.listener?.closed(isComplete);
  }
}
