/** A door at which processes stop before one of their transactions (see fault-preload.mjs) until the test lets them in. */
import { createServer, type Socket } from "node:net";
import { join } from "node:path";

export type Door = {
  path: string;
  close(): Promise<void>;
};

/** `knocked` hears which database the transaction is on; the process goes on after `open`. */
export async function openDoor(stateDir: string, knocked: (database: string, open: () => void) => void): Promise<Door> {
  const path = join(stateDir, "door");
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (text: Buffer) => knocked(text.toString("utf8"), () => void socket.end("open")));
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  return { path, close: () => new Promise((closed) => void server.close(() => closed())) };
}
