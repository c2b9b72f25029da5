import { useEffect, useState } from 'react'

/** A lazily loaded module. Unlike `lazy`, there is no fallback: the waiting element stays and keeps the focus. */
export function latePart<Part>(load: () => Promise<Part>) {
  let part: Part | undefined
  let loading: Promise<Part> | undefined
  const fetched = (): Promise<Part> => {
    loading ??= load().then(
      (loaded) => {
        part = loaded
        return loaded
      },
      (failure) => {
        loading = undefined // the next try loads again
        throw failure
      },
    )
    return loading
  }
  return {
    /** Preloads it. A failure shows when it's used. */
    prepare: (): void => void fetched().catch(() => {}),
    /** @returns the module once it's wanted and loaded; throws load failures to the page. */
    use: (isWanted: boolean): Part | undefined => {
      const [, setState] = useState<Part>()
      const shown = part
      useEffect(() => {
        // It may have loaded since this render.
        if (!isWanted || shown) return
        fetched().then(setState, (failure) =>
          setState(() => {
            throw failure
          }),
        )
      }, [isWanted])
      return isWanted ? shown : undefined
    },
    loaded: (): Part => {
      if (!part) throw new Error('A part of the page is shown before it was loaded.')
      return part
    },
  }
}
