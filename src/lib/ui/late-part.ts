import { useEffect, useState } from 'react'

/** A module that is loaded when it is first wanted, and then is there at once. Unlike `lazy`, nothing takes its place meanwhile: the
 *  element that waits for it stays the same, and keeps the focus. */
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
    /** Loads it before it is wanted. A failure shows when it is. */
    prepare: (): void => void fetched().catch(() => {}),
    /** @returns it, once it is wanted and there; a failure to load it is thrown to the page. */
    use: (isWanted: boolean): Part | undefined => {
      const [, setState] = useState<Part>()
      const shown = part
      useEffect(() => {
        // What has come since this was rendered is not shown yet.
        if (!isWanted || shown) return
        fetched().then(setState, (failure) =>
          setState(() => {
            throw failure
          }),
        )
      }, [isWanted])
      return isWanted ? shown : undefined
    },
    /** For what is shown only after it was loaded. */
    loaded: (): Part => {
      if (!part) throw new Error('A part of the page is shown before it was loaded.')
      return part
    },
  }
}
