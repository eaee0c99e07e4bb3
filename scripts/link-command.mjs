/** Puts this package's own command where npx looks first. npm links the commands of dependencies, but not the package's own. */
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join("node_modules", ".bin");
if (existsSync(folder)) {
  const link = join(folder, "aftersales");
  for (const file of [link, `${link}.cmd`]) rmSync(file, { force: true });
  if (process.platform === "win32") writeFileSync(`${link}.cmd`, '@node "%~dp0\\..\\..\\dist\\cli.mjs" %*\r\n');
  else symlinkSync(join("..", "..", "dist", "cli.mjs"), link);
}
