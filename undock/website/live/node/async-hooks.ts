/** Node's storage, for a worker that does one thing at a time: what runs until the promise settles belongs to it. */
export class AsyncLocalStorage<T> {
  #store: T | undefined

  run<R>(store: T, work: () => Promise<R>): Promise<R> {
    this.#store = store
    return work().finally(() => {
      this.#store = undefined
    })
  }

  getStore(): T | undefined {
    return this.#store
  }
}
