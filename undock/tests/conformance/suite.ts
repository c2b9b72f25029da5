import type { Upstream } from './checkout.ts'

/** A test suite of an upstream project and how to run it against a stack. */
export type Suite = {
  readonly upstream: Upstream
  /** Whether it can run against nodes. */
  readonly onNodes: boolean
  /** @param folder The checkout with its packages installed. */
  run(folder: string, options: SuiteOptions): Promise<Found>
}

export type SuiteOptions = {
  /** The number of `undock serve` nodes, on their own PostgreSQL; null for a stack. */
  readonly nodes: number | null
  /** Runs only files whose path contains this; empty for all. */
  readonly only: string
}

/** The results of a run. */
export type Found = {
  readonly cases: readonly FoundCase[]
  /** Parts of the suite that couldn't be run or translated into cases. */
  readonly unread: readonly { readonly place: string; readonly reason: string }[]
}

export type FoundCase = {
  readonly group: string
  readonly name: string
  /** Why it fails; null if it passes. */
  readonly miss: string | null
  /** Why it was skipped or can't pass on this engine; not counted as a failure. */
  readonly leftOut: string | null
}
