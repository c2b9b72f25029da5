import type { StorageClient as Client } from '@supabase/storage-js'

/** Build-time stand-in for the Storage client (see vite.config.ts): the first call loads it. */
export class StorageClient {
  readonly #made: ConstructorParameters<typeof Client>
  #real: Promise<Client> | undefined

  constructor(...made: ConstructorParameters<typeof Client>) {
    this.#made = made
  }

  /** @returns a bucket's asynchronous methods, so not `getPublicUrl`. */
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

/** The client exports it. */
export class StorageApiError extends Error {}
