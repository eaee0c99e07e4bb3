/** Owns the steps of the gate, each a small check on one call. A step returns the code it refuses with, or null. */
import type { z } from "zod";
import { canonicalJson } from "../domain/canonical.js";
import type { ErrorCode } from "../domain/errors.js";
import type { Role } from "../domain/identity.js";
import { LIMITS } from "../domain/limits.js";
import { normaliseText, parseOrderId } from "../domain/order-ids.js";
import type { RawToolCall } from "../domain/ports.js";
import { isPlainObject } from "../domain/strict-json.js";
import { isGranted } from "./allowlist.js";
import type { ToolContext } from "./tool.js";

/** Whether a call came in a form that can be answered at all. `takenIds` are the ids used earlier in the investigation. */
export function refuseMalformed(call: RawToolCall, position: number, takenIds: ReadonlySet<string>): ErrorCode | null {
  const { id } = call;
  if (id === undefined || id === "" || id.length > LIMITS.toolCallIdChars || takenIds.has(id))
    return "call_id_not_unique";
  if (call.malformed) return "arguments_not_json";
  if (position >= LIMITS.callsPerTurn) return "too_many_calls_in_turn";
  if (!isPlainObject(call.args)) return "arguments_not_an_object";
  return null;
}

/** Default deny, by name alone. */
export function refuseUngranted(role: Role, tool: string): ErrorCode | null {
  return isGranted(role, tool) ? null : "tool_not_granted";
}

/** Arguments once trimmed and normalised: the value that is checked is the value that is used. */
export function normaliseArguments(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      if (typeof value !== "string") return [key, value];
      const text = normaliseText(value).trim();
      return [key, key === "order_id" ? (parseOrderId(text) ?? text) : text];
    }),
  );
}

/** Bounded in size first, then exactly what the tool's schema knows: an argument too many is refused, not dropped. */
export function refuseArguments(args: Record<string, unknown>, schema: z.ZodObject): ErrorCode | null {
  return refuseOversized(args) ?? (schema.safeParse(args).success ? null : "invalid_arguments");
}

export function refuseOversized(args: Record<string, unknown>): ErrorCode | null {
  const tooLong = Object.values(args).some(
    (value) => typeof value === "string" && value.length > LIMITS.toolArgumentChars,
  );
  return tooLong || JSON.stringify(args).length > LIMITS.toolArgumentsJsonChars ? "invalid_arguments" : null;
}

/** A case reads the one order it is about, and none when it is about none. */
export function refuseForeignOrder(args: Record<string, unknown>, context: ToolContext): ErrorCode | null {
  if (!Object.hasOwn(args, "order_id")) return null;
  return args.order_id === context.orderId && context.orderId !== null ? null : "order_not_bound_to_case";
}

/** Names a call by its tool and canonical arguments, so that word order and spelling variants do not hide a repetition. */
export function fingerprintOf(name: string, args: Record<string, unknown>): string {
  return `${name} ${canonicalJson(args)}`;
}

export function refuseRepeated(fingerprint: string, earlier: readonly string[]): ErrorCode | null {
  return earlier.filter((made) => made === fingerprint).length >= LIMITS.sameCall ? "repeated_call" : null;
}

/** The one deadline of a call: 15 seconds from now, or the end of the phase if that comes first. Returns the time left, whenever asked. */
export function deadlineOf(nowMs: () => number, phaseRemainingMs: () => number): () => number {
  const until = nowMs() + Math.min(LIMITS.toolCallMs, phaseRemainingMs());
  return () => until - nowMs();
}

/**
 * Waits for `work` until its time is up (`fallback`) or the case is stopped (throws the reason). A tool that minds neither its time nor
 * the signal holds nobody up; what it does afterwards is heard by nobody.
 */
export async function waitFor<T>(work: Promise<T>, fallback: T, leftMs: number, signal: AbortSignal): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  const late = new Promise<T>((done, fail) => {
    timer = setTimeout(() => done(fallback), leftMs);
    stop = () => fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
