import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way through a network, from a port of this machine to a server, that can be interrupted. */
export type NetworkLink = {
  readonly port: number
  /** Drops everything in both directions without an error, like lost packets. */
  cut(): void
  /** Delivers what was sent in the meantime, as TCP would, and closes. */
  mend(): void
  /** Open connections stay silent forever, like those to a dead machine; new ones work. */
  strand(): void
  close(): Promise<void>
}

type Pair = { readonly near: Socket; far: Socket | null }

/** @param target The server's port on this machine; each new connection asks. */
export async function openLink(target: () => number): Promise<NetworkLink> {
  const pairs = new Set<Pair>()
  const stranded = new Set<Pair>()
  let isCut = false
  const end = (pair: Pair): void => {
    if (isCut || stranded.has(pair)) return
    pairs.delete(pair)
    pair.near.destroy()
    pair.far?.destroy()
  }
  const open = (pair: Pair): void => {
    if (!pair.far) {
      pair.far = connect(target(), '127.0.0.1')
      pair.far.on('error', () => undefined).on('close', () => end(pair))
    }
    if (pair.near.destroyed || pair.far.destroyed) end(pair)
    else pair.near.pipe(pair.far).pipe(pair.near)
  }
  const hold = ({ near, far }: Pair): void => {
    for (const one of [near, far]) one?.unpipe().pause()
  }
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const pair: Pair = { near, far: null }
    pairs.add(pair)
    near.on('error', () => undefined).on('close', () => end(pair))
    if (!isCut) open(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut() {
      isCut = true
      for (const pair of pairs) hold(pair)
    },
    mend() {
      isCut = false
      for (const pair of pairs) open(pair)
    },
    strand() {
      for (const pair of pairs) {
        hold(pair)
        stranded.add(pair)
        pairs.delete(pair)
      }
    },
    async close() {
      isCut = false
      for (const { near, far } of [...pairs, ...stranded]) {
        near.destroy()
        far?.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
