/** Proofs that are remembered at most; beyond this the oldest is dropped. Each was signed by a trusted party. */
const MAX_PROOFS = 10_000

/** Remembers signed proofs that were accepted, until they expire, so that none is accepted twice. */
export type ReplayGuard = {
  /** @param name Identifies the proof, such as its issuer and id. @param until When the proof expires.
   *  @returns false when it was used before. */
  take(name: string, until: Date, now: Date): boolean
}

export function createReplayGuard(): ReplayGuard {
  const used = new Map<string, number>()
  return {
    take(name, until, now) {
      const known = used.get(name)
      if (known !== undefined && known >= now.getTime()) return false
      used.set(name, until.getTime())
      if (used.size > MAX_PROOFS) for (const [old, end] of used) if (end < now.getTime()) used.delete(old)
      const [oldest] = used.keys()
      if (used.size > MAX_PROOFS && oldest !== undefined) used.delete(oldest)
      return true
    },
  }
}
