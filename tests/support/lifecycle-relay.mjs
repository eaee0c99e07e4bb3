/** Stands where the commerce process belongs and connects the host's line to the service that the test runs. First argument: the socket. */
import { connect } from "node:net";

const [socketPath, ...args] = process.argv.slice(2);
const line = connect(socketPath);
line.write(`${JSON.stringify(args)}\n`);
line.pipe(process.stdout);
process.stdin.pipe(line);
for (const event of ["close", "error"]) line.on(event, () => process.exit(0));
