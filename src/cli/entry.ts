#!/usr/bin/env node
/**
 * Owns the first line of the program: a Node that is too old is told so in one sentence. Nothing is imported here and no newer syntax used,
 * because such a Node would stumble over the rest before it could say anything.
 */
const OLDEST = [20, 19];

const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  const program = "./main.mjs";
  void import(program);
} else {
  process.stderr.write(
    `aftersales needs Node ${OLDEST.join(".")} or newer, and this is ${process.version}. Install a newer Node and run the command again. (unsupported_node)\n`,
  );
  process.exitCode = 1;
}
