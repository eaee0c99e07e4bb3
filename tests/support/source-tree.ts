/** The source files as text, and what each of them imports: for tests about the layout. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const SRC = join(ROOT, "src");

export type SourceFile = {
  /** Below its own root, such as `graph/compose.ts`. */
  name: string;
  path: string;
  /** Without comments: a word in a sentence is not code. */
  code: string;
  text: string;
  lines: number;
};

export function sourceFiles(root: string = SRC): SourceFile[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const text = readFileSync(path, "utf8");
      return {
        name: relative(root, path),
        path,
        text,
        code: withoutComments(text),
        lines: text.trimEnd().split("\n").length,
      };
    });
}

export function roomOf(name: string): string {
  return name.split("/")[0] ?? "";
}

/** The files a file imports by a relative path, named below `src`. */
export function relativeImports({ path, code }: SourceFile): string[] {
  return [...code.matchAll(/(?:from|import|import\()\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(SRC, resolve(dirname(path), (match[1] ?? "").replace(/\.js$/, ".ts"))),
  );
}

/** The packages a file imports, without the part below the package; `node:` modules keep their name. */
export function packageImports({ code }: SourceFile): string[] {
  return [...code.matchAll(/(?:from|import|import\()\s*"([^."][^"]*)"/g)].map((match) => {
    const specifier = match[1] ?? "";
    if (specifier.startsWith("node:")) return specifier;
    return specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
