/** Owns the procedures: names and descriptions for planning, one body for the work. Only what the reviewed manifest lists exists. */
import { readFileSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { Language } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Procedures } from "../domain/ports.js";
import { readDataFile } from "./data-directory.js";

const Manifest = z.strictObject({
  skills: z.array(z.strictObject({ name: z.string().regex(/^[a-z]{2,20}$/), file: z.string() })).min(1),
});
const FrontMatter = z.strictObject({ name: z.string(), description: z.string().min(1).max(300) });

type Skill = { name: string; description: string; bodies: Record<Language, string> };

/** Throws `data_invalid` when a listed procedure is missing, too long or not in both languages. */
export function loadProcedures(dataDir: string): Procedures {
  const { skills } = readDataFile(dataDir, "skills/manifest.json", Manifest);
  const loaded = new Map(skills.map(({ name, file }) => [name, loadSkill(dataDir, name, file)]));
  return {
    list: () => [...loaded.values()].map(({ name, description }) => ({ name, description })),
    load: (name, language) => loaded.get(name)?.bodies[language] ?? null,
  };
}

function loadSkill(dataDir: string, name: string, file: string): Skill {
  const folder = resolve(dataDir, "skills");
  const path = resolve(folder, file);
  const invalid = (detail: string): AftersalesError =>
    new AftersalesError("data_invalid", { file: `skills/${file}`.slice(0, 80), detail });
  const outside = "leads outside the skills folder";
  if (relative(folder, path).startsWith("..")) throw invalid(outside);
  let real: string;
  let text: string;
  try {
    real = relative(realpathSync(folder), realpathSync(path));
    text = readFileSync(path, "utf8");
  } catch {
    throw invalid("cannot be read");
  }
  if (real.startsWith("..")) throw invalid(outside);
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text.replaceAll("\r\n", "\n")) ?? [];
  const front = FrontMatter.safeParse(parse(head));
  if (!front.success || front.data.name !== name)
    throw invalid("front matter must hold name (as in the manifest) and description");
  const parts = new Map(
    body
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split("\n", 1)[0]?.trim() ?? "", part.slice(part.indexOf("\n") + 1).trim()]),
  );
  const bodies = Language.options.map((language) => {
    const prose = parts.get(language) ?? "";
    if (prose === "") throw invalid(`has no "## ${language}" part`);
    if (prose.length > LIMITS.skillBodyChars)
      throw invalid(`the ${language} part is longer than ${LIMITS.skillBodyChars} characters`);
    return [language, prose] as const;
  });
  return {
    name,
    description: front.data.description,
    bodies: z.record(Language, z.string()).parse(Object.fromEntries(bodies)),
  };
}
