/** Owns who somebody is. An identity is bound by the host (a CLI profile, an authenticated user), never read from text, arguments or graph state. */
import { z } from "zod";
import { TenantId, UserId } from "./ids.js";

export const Role = z.enum(["customer", "reviewer"]);
export type Role = z.infer<typeof Role>;

export const Identity = z.strictObject({ tenant: TenantId, user: UserId, role: Role });
export type Identity = z.infer<typeof Identity>;

/** profiles.json: the profile's name is the user. */
export const ProfilesFile = z.strictObject({
  fictional: z.literal(true),
  profiles: z.array(Identity).min(1),
});
export type ProfilesFile = z.infer<typeof ProfilesFile>;

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.tenant === b.tenant && a.user === b.user && a.role === b.role;
}
