import type { Upstream } from './checkout.ts'

/** A test suite of an upstream project, and how it is run against a stack. */
export type Suite = {
  readonly upstream: Upstream
  /** Whether it can be run against nodes. */
  readonly onNodes: boolean
  /** @param folder The checkout, with its packages installed. */
  run(folder: string, options: SuiteOptions): Promise<Found>
}

export type SuiteOptions = {
  /** The number of `undock serve` nodes, on their own PostgreSQL; null for a stack. */
  readonly nodes: number | null
  /** Only files whose path contains this; empty for all. */
  readonly only: string
}

/** The results of a run. */
export type Found = {
  readonly cases: readonly FoundCase[]
  /** Parts of the suite that could not be run, or not be translated into cases. */
  readonly unread: readonly { readonly place: string; readonly reason: string }[]
}

export type FoundCase = {
  readonly group: string
  readonly name: string
  /** Why it does not hold; null when it does. */
  readonly miss: string | null
  /** Why it was not run, or cannot hold on this engine; such a case is not counted among the misses. */
  readonly leftOut: string | null
}
