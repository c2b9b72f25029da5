import type { StorageClient as Client } from '@supabase/storage-js'

/** Stands in for the client's Storage part in the build (see vite.config.ts), so that the sign-in page need not load it: the real one
 *  comes with the first call. */
export class StorageClient {
  readonly #made: ConstructorParameters<typeof Client>
  #real: Promise<Client> | undefined

  constructor(...made: ConstructorParameters<typeof Client>) {
    this.#made = made
  }

  /** @returns the methods of a bucket that ask the server; `getPublicUrl`, which answers at once, is not among them. */
  from(bucket: string): object {
    return new Proxy(
      {},
      {
        get:
          (_, name) =>
          async (...given: unknown[]) =>
            callMethod((await this.#load()).from(bucket), name, given),
      },
    )
  }

  #load(): Promise<Client> {
    this.#real ??= import('@supabase/storage-js').then(
      ({ StorageClient }) => new StorageClient(...this.#made),
      (failure) => {
        this.#real = undefined // the next call tries again
        throw failure
      },
    )
    return this.#real
  }
}

const callMethod = (on: object, name: string | symbol, given: unknown[]): unknown =>
  Reflect.apply(Reflect.get(on, name), on, given)

/** The client names it among its exports. */
export class StorageApiError extends Error {}
