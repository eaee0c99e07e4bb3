/**
 * Serves the graph to LangGraph Studio and other LangGraph clients: the development server, on this machine only, without analytics,
 * without a browser unless asked for. Usage: npm run studio -- [--port 2024] [--rehearsal] [--auth] [--browser]
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

const HOST = "127.0.0.1";
const STUDIO = "https://smith.langchain.com/studio";
const READY_MS = 120_000;
const STOP_MS = 8_000;
const KILL_MS = 1_000;
/** Any of these set to true would send customer text to a third party; set here, an .env file cannot turn them on. */
const TRACING = ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"];
const OPTIONS = {
  port: { type: "string", default: "2024" },
  rehearsal: { type: "boolean", default: false },
  auth: { type: "boolean", default: false },
  browser: { type: "boolean", default: false },
};

// What a person keeps in .env counts here too; the environment wins over it.
if (existsSync(".env")) process.loadEnvFile(".env");
const options = readOptions();
if (options !== undefined && (await canStart(options))) await serve(options);

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const port = Number(values.port);
    if (Number.isInteger(port) && port > 0 && port < 65_536) return { ...values, port };
    fail(`--port ${values.port} is not a port number. (usage)`, 2);
  } catch (error) {
    fail(`${error.message}. Options: --port N, --rehearsal, --auth, --browser. (usage)`, 2);
  }
  return undefined;
}

async function canStart({ port, auth }) {
  if (!existsSync(programPath())) return fail("The development server is not installed. Run npm ci. (not_installed)");
  if (!existsSync(configPath(auth)))
    return fail(`${configPath(auth)} is missing. Run this in the project's folder. (not_here)`);
  if (await isFree(port)) return true;
  return fail(
    `Port ${port} is in use. Stop what listens there, or choose another: npm run studio -- --port ${port + 1} (port_in_use)`,
  );
}

async function serve({ port, rehearsal, auth, browser }) {
  const url = `http://${HOST}:${port}`;
  const args = ["dev", "--no-reload", "--host", HOST, "--port", String(port), "--config", configPath(auth)];
  const server = spawn(process.execPath, [programPath(), ...args, ...(browser ? [] : ["--no-browser"])], {
    // A process group of its own, so that stopping reaches the server and the commerce process below it.
    detached: true,
    stdio: "inherit",
    env: {
      ...process.env,
      ...Object.fromEntries(TRACING.map((name) => [name, "false"])),
      ...(rehearsal ? { AFTERSALES_MODEL: "rehearsal" } : {}),
      LANGGRAPH_CLI_NO_ANALYTICS: "1",
    },
  });
  let stopping;
  const stop = () => {
    stopping ??= stopGroup(server);
    return stopping;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
  server.on("exit", stop);
  const ready = await untilReady(url, () => stopping !== undefined);
  if (ready) say(welcome(url, auth));
  else if (stopping === undefined) {
    fail(`The server did not start within ${READY_MS / 1000} seconds; its messages are above. (server_not_started)`);
    await stop();
  } else await stopping;
}

function welcome(url, auth) {
  const { AFTERSALES_STUDIO_CUSTOMER: customer, AFTERSALES_STUDIO_REVIEWER: reviewer } = process.env;
  const local = [
    `  Questions count as ${customer || "alice"}'s (AFTERSALES_STUDIO_CUSTOMER).`,
    reviewer
      ? `  Decisions signed "${reviewer}" count as that reviewer's (AFTERSALES_STUDIO_REVIEWER).`
      : "  Approving is refused: no reviewer is named. To allow it, set AFTERSALES_STUDIO_REVIEWER=chen and start again.",
  ];
  return [
    `Ready: ${url}, graph qinghe. Stop with Ctrl-C.`,
    `  Studio: ${STUDIO}?baseUrl=${url}`,
    ...(auth ? ["  Every request needs a bearer token; see docs/clients.md."] : local),
    "  Never publish this port.",
  ].join("\n");
}

/** /info needs no token and answers once the graph is registered. */
async function untilReady(url, isOver) {
  const until = Date.now() + READY_MS;
  while (!isOver() && Date.now() < until) {
    const answered = await fetch(`${url}/info`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return true;
    await wait(200);
  }
  return false;
}

/** The server writes its threads down when it is asked to stop; what does not go is ended. */
async function stopGroup(server) {
  for (const [signal, patience] of [
    ["SIGINT", STOP_MS],
    ["SIGKILL", KILL_MS],
  ]) {
    if (!signalGroup(server.pid, signal)) return;
    const until = Date.now() + patience;
    while (signalGroup(server.pid, 0) && Date.now() < until) await wait(50);
  }
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

function isFree(port) {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, HOST, () => probe.close(() => done(true)));
  });
}

function programPath() {
  return join(process.cwd(), "node_modules", "@langchain", "langgraph-cli", "dist", "cli", "cli.mjs");
}

function configPath(auth) {
  return auth ? "langgraph.auth.json" : "langgraph.json";
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text, code = 1) {
  say(text);
  process.exitCode = code;
  return false;
}
