import type { BucketLimit, Buckets } from './buckets.ts'

const PROOFS: BucketLimit = { name: 'proofs', size: 1, perSecond: 0 }

/** Remembers signed proofs that were accepted, until they expire, so that none is accepted twice. Each was signed by a trusted
 *  party. */
export type ReplayGuard = {
  /** @param name Identifies the proof, such as its issuer and id. @param until When the proof expires.
   *  @returns false when it was taken before. */
  take(name: string, until: Date): Promise<boolean>
}

/** @param buckets Where the proofs are remembered: those of the past are forgotten there. */
export const createReplayGuard = (buckets: Buckets): ReplayGuard => ({
  take: (name, until) => buckets.take(PROOFS, name, until),
})
