/** Knocks at a door that a test listens at, says what for, and ends when the door opens. Usage: node fault-knock.mjs SOCKET TEXT */
import { connect } from "node:net";

const [socket = "", text = ""] = process.argv.slice(2);
const door = connect(socket, () => door.write(text));
for (const ending of ["data", "end", "error"]) door.once(ending, () => process.exit());
