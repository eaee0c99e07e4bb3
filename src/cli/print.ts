/** Owns the two output streams: stdout carries results, stderr everything else. No other file of the host writes to either. */

export type Output = {
  /** A result, for people. */
  result(text: string): void;
  /** A result, for programs: exactly one object per command. */
  json(value: unknown): void;
  /** Progress and messages. */
  say(text: string): void;
  /** On a terminal only: a last line that the next one, or anything else that is written, replaces. Empty takes it away. */
  live?: (text: string) => void;
};

type Stream = { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined };

const ERASE_LINE = "\r\u001B[K";
const NARROW = 80;

export function createOutput(stdout: Stream = process.stdout, stderr: Stream = process.stderr): Output {
  let shown = "";
  const live = (text: string): void => {
    if (text === "" && shown === "") return;
    shown = cut(text, (stderr.columns ?? NARROW) - 1);
    stderr.write(`${ERASE_LINE}${shown}`);
  };
  const write = (stream: Stream, text: string): void => {
    live("");
    stream.write(`${text}\n`);
  };
  return {
    result: (text) => write(stdout, text),
    json: (value) => write(stdout, JSON.stringify(value)),
    say: (text) => write(stderr, text),
    ...(stderr.isTTY === true ? { live } : {}),
  };
}

/** As much of a line as `columns` hold; a line that wraps could not be replaced. Chinese characters are two columns wide. */
function cut(text: string, columns: number): string {
  let left = columns;
  let kept = "";
  for (const character of text) {
    left -= character > "\u2E7F" ? 2 : 1;
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

/** Text somebody else wrote must not move the cursor, recolour the terminal or hide what stands before it. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to go
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, "");
}
