/**
 * Writes text to a socket's handle, past its stream: no stream state, no request object per write. Uses what
 * is private to Node, so the listener asks for it only where a check at the start has seen it work
 * (`inbound/hand-over.ts`). The bytes and their order are those of `socket.write`.
 */
import type { Socket } from "node:net";
import { getSystemErrorName } from "node:util";

/** A write under way; Node's own object, which libuv needs only when it cannot send at once. */
interface WriteRequest {
  oncomplete: ((status: number) => void) | undefined;
}
interface Binding {
  readonly WriteWrap: new () => WriteRequest;
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
}
interface Handle {
  writeLatin1String(request: WriteRequest, text: string): number;
}

/** What a socket looks like from inside. */
interface Inside {
  readonly _handle: Handle | null | undefined;
}

export interface DirectWriter {
  /**
   * True: all of it is sent. False: it is being sent, and the socket emits `drain` when it is; until then
   * write to the socket. Undefined: not possible now, write to the socket.
   */
  write(socket: Socket, text: string): boolean | undefined;
}

/** As Node's own, with the code that says what became of the connection. */
function writeError(errno: number): NodeJS.ErrnoException {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`write ${code}`), { code, errno, syscall: "write" });
}

/** Throws where Node has not got what it needs. */
export function createDirectWriter(): DirectWriter {
  const { binding } = process as unknown as { binding(name: string): unknown };
  const { WriteWrap, streamBaseState, kLastWriteWasAsync } = binding("stream_wrap") as Binding;
  let spare = new WriteWrap();
  if (typeof streamBaseState[kLastWriteWasAsync] !== "number") throw new Error("no state of a write");

  return {
    write(socket, text) {
      const handle = (socket as unknown as Inside)._handle;
      if (handle == null || socket.connecting || socket.writableLength > 0 || !socket.writable)
        return undefined;
      const request = spare;
      const error = handle.writeLatin1String(request, text);
      if (error !== 0) {
        socket.destroy(writeError(error));
        return true;
      }
      if (streamBaseState[kLastWriteWasAsync] === 0) return true;
      spare = new WriteWrap();
      request.oncomplete = (status) => {
        if (status < 0) socket.destroy(writeError(status));
        else socket.emit("drain");
      };
      return false;
    },
  };
}
