/** Owns the case records on disk: one file per outcome, named by case and content, written whole or not at all. */
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { textHash } from "../domain/canonical.js";
import { caseRecordOf, renderCaseRecord } from "../domain/case-record.js";
import { AftersalesError } from "../domain/errors.js";
import type { Artifacts } from "../domain/ports.js";
import type { ApplicationDb } from "./application-database.js";
import { latestApproval } from "./approval-rows.js";
import { findCase } from "./case-store.js";

/** `artifactsDir` is absolute; returned paths are relative to it, so that a moved state directory still works. */
export function createArtifactStore(deps: { db: ApplicationDb; artifactsDir: string }): Artifacts {
  const { db, artifactsDir } = deps;
  return {
    async write(caseId) {
      const row = await findCase(db, caseId);
      if (row === null) throw new AftersalesError("case_not_accessible");
      const text = renderCaseRecord(caseRecordOf(row, await latestApproval(db, caseId)));
      const name = `${caseId}-${textHash(text).slice(0, 16)}.md`;
      const path = join(artifactsDir, name);
      mkdirSync(artifactsDir, { recursive: true, mode: 0o700 });
      // A link in the folder could lead the write to a place that is not ours.
      if (lstatSync(artifactsDir).isSymbolicLink()) throw new AftersalesError("artifact_conflict");
      const standing = lstatSync(path, { throwIfNoEntry: false });
      if (standing !== undefined) {
        if (standing.isSymbolicLink() || readFileSync(path, "utf8") !== text) {
          throw new AftersalesError("artifact_conflict");
        }
        return name;
      }
      await writeFileAtomic(path, text, { mode: 0o600 });
      return name;
    },
  };
}
