/** Owns amounts. Money is a whole number of cents; nothing else in the product adds, subtracts or prints it another way. */
import { z } from "zod";

/** A safe, non-negative integer of cents. Refuses 129.5, true, "100" and -1. */
export const Cents = z.int().min(0).brand<"Cents">();
export type Cents = z.infer<typeof Cents>;

export const ZERO_CENTS: Cents = Cents.parse(0);

/** What is left of `paid` after `refunded`, never below zero. */
export function balanceCents(paid: Cents, refunded: Cents): Cents {
  return Cents.parse(Math.max(0, paid - refunded));
}

/** `12900` becomes `CNY 129.00`. */
export function formatCny(cents: number): string {
  const whole = Math.trunc(cents / 100);
  return `CNY ${whole}.${String(cents % 100).padStart(2, "0")}`;
}
