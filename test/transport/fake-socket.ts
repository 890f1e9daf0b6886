/**
 * The server's end of a connection, in memory: as much of a socket as both listeners use. What a real socket
 * does in the system happens here at once, so that a million connections take minutes.
 */
import { Duplex } from "node:stream";

export class FakeSocket extends Duplex {
  bytesRead = 0;
  readonly remoteAddress = "127.0.0.1";
  readonly server = null;
  /** What the server wrote, as latin1. */
  text = "";
  readonly #active: () => void;

  /** `active` is called whenever the server does something. */
  constructor(active: () => void) {
    super({ allowHalfOpen: true });
    this.#active = active;
    this.on("close", active);
    this.on("error", () => {});
  }

  /** The caller sends. */
  deliver(bytes: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    this.bytesRead += bytes.length;
    this.push(bytes);
  }

  /** The caller ends its side. */
  finish(): void {
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, taken: () => void): void {
    this.text += bytes.toString("latin1");
    this.#active();
    taken();
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }
}
