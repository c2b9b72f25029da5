import type { BucketLimit, Buckets } from './buckets.ts'

const PROOFS: BucketLimit = { name: 'proofs', size: 1, perSecond: 0 }

/** Remembers accepted signed proofs until they expire, so that none is accepted twice. */
export type ReplayGuard = {
  /** @param name Identifies the proof, for example by issuer and id. @param until When it expires.
   *  @returns false if it was used before. */
  take(name: string, until: Date): Promise<boolean>
}

export const createReplayGuard = (buckets: Buckets): ReplayGuard => ({
  take: (name, until) => buckets.take(PROOFS, name, until),
})
