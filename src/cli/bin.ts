/** The process shell: modes, signals, exit code. */
import { main } from "./main.js";

process.umask(0o077);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
process.exitCode = await main(process.argv.slice(2), { signal: stop.signal });
