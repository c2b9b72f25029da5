/** Another node was first heard, lost some messages, or is gone. */
export type NodeEvent = 'here' | 'gap' | 'gone'

/** Carries messages between a project's nodes, at most once: an unreachable node misses them silently. Messages of a
 *  node on a topic arrive in order. The sender isn't among the receivers: it handles its own part before it publishes. */
export type Bus = {
  readonly node: string
  /** Whether there's no other node, so that nothing needs to be published. */
  readonly isAlone: boolean
  publish(topic: string, message: Buffer): void
  /** @returns a function that unsubscribes. */
  subscribe(topic: string, handler: (message: Buffer, node: string) => void): () => void
  /** Immediately reports existing nodes. @returns a function that unsubscribes. */
  onNode(handler: (node: string, event: NodeEvent) => void): () => void
  close(): Promise<void>
}

/** Returns the bus of a single node. */
export const aloneBus = (node: string): Bus => ({
  node,
  isAlone: true,
  publish() {},
  subscribe: () => () => undefined,
  onNode: () => () => undefined,
  close: async () => undefined,
})
