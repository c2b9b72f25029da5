import { refusal, Unreadable } from '../errors.ts'
import { fetchMetadata } from '../web/fetch-page.ts'
import { hostDeps } from '../web/public-host.ts'

/** Fetches an identity provider's metadata.
 *  @throws {Refusal} with a message for an owner. */
export type FetchMetadata = (address: string) => Promise<string>

/** Fetches from the public internet and from the hosts in the secret `METADATA_ALLOWED_HOSTS`. */
export const metadataFetch = (): FetchMetadata => async (address) => {
  const deps = { ...hostDeps(Deno.env.get('METADATA_ALLOWED_HOSTS')), timeout: 10_000, mostBytes: 2 ** 20 }
  try {
    return new TextDecoder().decode((await fetchMetadata(address, deps)).bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw refusal('metadata_unreachable')
    throw error
  }
}
