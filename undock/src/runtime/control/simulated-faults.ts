import type { ServiceName } from '../stack/options.ts'

export type Failure = {
  /** 503 by default. */
  readonly status?: number
  /** How many requests fail; by default all until `clear`. */
  readonly times?: number
}

/** @property delays Milliseconds.
 *  @property failures Remaining failures per service; null for all requests. */
export type FaultState = {
  readonly isOffline: boolean
  readonly delays: Readonly<Record<string, number>>
  readonly failures: Readonly<Record<string, { readonly status: number; readonly times: number | null }>>
}

/** Simulates failures, to test how an app handles them. */
export type Faults = {
  readonly state: FaultState
  /** Closes every connection to the API, including WebSockets. Clients may reconnect immediately. */
  dropSockets(): Promise<void>
  /** Delays requests to a service. @param milliseconds 0 for none. */
  delay(service: ServiceName, milliseconds: number): void
  /** Refuses requests to a service; for `mail`, sending fails. */
  fail(service: ServiceName, failure?: Failure): void
  /** Ends a service's failures, but not its delay. */
  stopFailing(service: ServiceName): void
  /** Blocks all connections to the API until `goOnline`. */
  goOffline(): Promise<void>
  goOnline(): void
  clear(): void
}
