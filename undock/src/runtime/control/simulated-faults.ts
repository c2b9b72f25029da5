import type { ServiceName } from '../stack/service-names.ts'

export type Failure = {
  /** 503 unless given. */
  readonly status?: number
  /** How many requests fail; all until `clear` unless given. */
  readonly times?: number
}

/** What is simulated now. @property delays Milliseconds.
 *  @property failures With how many more requests that each will fail; null for all. */
export type FaultState = {
  readonly isOffline: boolean
  readonly delays: Readonly<Record<string, number>>
  readonly failures: Readonly<Record<string, { readonly status: number; readonly times: number | null }>>
}

/** Simulates failures of one stack, for tests of how an app handles them. */
export type Faults = {
  /** What is simulated now. */
  readonly state: FaultState
  /** Ends every connection to the API, WebSockets too. Clients may come back at once. */
  dropSockets(): Promise<void>
  /** Delays every request to a service. @param milliseconds 0 ends it. */
  delay(service: ServiceName, milliseconds: number): void
  /** Requests to a service are refused; for `mail`, sending fails. */
  fail(service: ServiceName, failure?: Failure): void
  /** Requests to a service succeed again; a delay stays. */
  stopFailing(service: ServiceName): void
  /** No connection to the API comes through until `goOnline`. */
  goOffline(): Promise<void>
  goOnline(): void
  /** Ends all simulated failures. */
  clear(): void
}
