/** `doctor`: says what is configured and what works. Without `--live` nothing is sent anywhere. */
import { AftersalesError } from "../../domain/errors.js";
import { chooseModel, packageVersion } from "../../graph/compose.js";
import { examine, examineRequest, type Finding } from "../../graph/compose-doctor.js";
import { printable } from "../print.js";
import { RefusedResult } from "../refused-result.js";
import type { RunContext } from "../run-context.js";

const MARKS: Record<Finding["status"], string> = { ok: "ok    ", note: "note  ", broken: "BROKEN" };

/** Throws `RefusedResult` with `installation_broken` when something does not work. */
export async function runDoctor(context: RunContext, flags: { live?: boolean }): Promise<void> {
  const { config, clocks, dataDir, options, output, signal } = context;
  const kind = flags.live === true ? "live" : (options.model ?? config.modelKind);
  const findings = await examine({ config, clocks, dataDir, kind, ...options });
  if (flags.live === true) findings.push(await examineRequest(() => chooseModel(config, "live"), signal));
  const broken = findings.filter(({ status }) => status === "broken");
  const version = packageVersion();
  if (options.json) output.json({ ok: broken.length === 0, version, checks: findings });
  else output.result([`aftersales ${version}`, ...findings.map(lineOf)].join("\n"));
  if (broken.length > 0) {
    const names = broken.map(({ name }) => name).join(", ");
    throw new RefusedResult(new AftersalesError("installation_broken", { names }));
  }
}

function lineOf({ name, status, detail, code, advice }: Finding): string {
  const found = `${MARKS[status]} ${name.padEnd(9)} ${printable(detail)}${code === undefined ? "" : ` (${code})`}`;
  return advice === undefined ? found : `${found}\n                 ${advice}`;
}
