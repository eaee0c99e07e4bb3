/** Owns the `.env` file: which variables may come from it. Others, such as which program to start, count only from the real environment. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { AftersalesError } from "../domain/errors.js";
import { MODEL_VARIABLES } from "./model-settings.js";

type Environment = Record<string, string | undefined>;

/**
 * `env` with the model's variables that only the file sets. AFTERSALES_ENV_FILE names another file, or none if it is empty.
 * Throws `data_invalid` for a file that is there, or was named, and cannot be read.
 */
export function withEnvFile(env: Environment): Environment {
  const file = env.AFTERSALES_ENV_FILE ?? ".env";
  if (file === "") return env;
  const listed = parseEnv(textOf(file, env.AFTERSALES_ENV_FILE !== undefined));
  const added = MODEL_VARIABLES.filter((name) => env[name] === undefined && listed[name] !== undefined);
  return { ...env, ...Object.fromEntries(added.map((name) => [name, listed[name]])) };
}

function textOf(file: string, wasNamed: boolean): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isAbsent && !wasNamed) return "";
    throw new AftersalesError("data_invalid", { file, detail: "cannot be read" }, { cause: error });
  }
}
