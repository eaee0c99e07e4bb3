/** Owns the shapes of every identifier. An id that parses is safe in SQL, in a file name and on PostgreSQL (no NUL, no separators). */
import { z } from "zod";

const plainId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

export const CaseId = z.uuid().brand<"CaseId">();
export type CaseId = z.infer<typeof CaseId>;

export const ApprovalId = plainId.brand<"ApprovalId">();
export type ApprovalId = z.infer<typeof ApprovalId>;

export const OrderId = z
  .string()
  .regex(/^QH-[0-9]{4}$/)
  .brand<"OrderId">();
export type OrderId = z.infer<typeof OrderId>;

export const Sku = z
  .string()
  .regex(/^[A-Z]{2,12}-[0-9]{2}$/)
  .brand<"Sku">();
export type Sku = z.infer<typeof Sku>;

export const TenantId = plainId.brand<"TenantId">();
export type TenantId = z.infer<typeof TenantId>;

export const UserId = plainId.brand<"UserId">();
export type UserId = z.infer<typeof UserId>;

/** SHA-256 in lower-case hexadecimal. */
export const Sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand<"Sha256Hex">();
export type Sha256Hex = z.infer<typeof Sha256Hex>;

/** A calendar day, `YYYY-MM-DD`. */
export const CalendarDate = z.iso.date();
/** A moment in UTC with milliseconds, `2026-09-12T08:00:00.000Z`; as text it sorts and hashes the same everywhere. */
export const Instant = z.iso.datetime({ precision: 3 });

export const Language = z.enum(["zh", "en"]);
export type Language = z.infer<typeof Language>;

/** `RETURNS:p02`: a page of a policy document. */
export const PageId = z.string().regex(/^[A-Z][A-Z_]{1,40}:p[0-9]{2}$/);
/** `RETURNS:p02:zh:0`: one paragraph of one language of a page. */
export const PassageId = z.string().regex(/^[A-Z][A-Z_]{1,40}:p[0-9]{2}:(zh|en):[0-9]{1,2}$/);
