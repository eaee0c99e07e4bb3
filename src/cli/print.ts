/** Owns the two output streams: stdout carries results, stderr everything else. No other file of the host writes to either. */

export type Output = {
  /** A result, for people. */
  result(text: string): void;
  /** A result, for programs: exactly one object per command. */
  json(value: unknown): void;
  /** Progress and messages. */
  say(text: string): void;
};

type Stream = { write(text: string): unknown };

export function createOutput(stdout: Stream = process.stdout, stderr: Stream = process.stderr): Output {
  return {
    result: (text) => stdout.write(`${text}\n`),
    json: (value) => stdout.write(`${JSON.stringify(value)}\n`),
    say: (text) => stderr.write(`${text}\n`),
  };
}

/** Text somebody else wrote must not move the cursor, recolour the terminal or hide what stands before it. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to go
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, "");
}
