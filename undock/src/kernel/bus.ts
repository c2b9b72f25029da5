/** What a node learns of another one: it was heard for the first time, some of its messages were lost, or it has gone. */
export type NodeEvent = 'here' | 'gap' | 'gone'

/** Carries messages between the nodes that serve one project. A message arrives at most once: a node that cannot be
 *  reached misses it, and nobody is told. Those of one node on one topic arrive in the order in which it published them.
 *  The own node is not among the receivers: it does its part before it publishes. */
export type Bus = {
  /** The id of this node. */
  readonly node: string
  /** Whether there is no other node: nothing needs to be published then. */
  readonly isAlone: boolean
  publish(topic: string, message: Buffer): void
  /** @returns a function that ends it. */
  subscribe(topic: string, handler: (message: Buffer, node: string) => void): () => void
  /** The handler is told at once of the nodes that are there already. @returns a function that ends it. */
  onNode(handler: (node: string, event: NodeEvent) => void): () => void
  /** Says goodbye to the other nodes. */
  close(): Promise<void>
}

/** The bus of a node that is the only one. */
export const aloneBus = (node: string): Bus => ({
  node,
  isAlone: true,
  publish() {},
  subscribe: () => () => undefined,
  onNode: () => () => undefined,
  close: async () => undefined,
})
