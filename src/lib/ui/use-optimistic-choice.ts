import { useState } from 'react'

/** The part of TanStack Query's `mutate` that the hook needs. */
type Save<T> = (value: T, options: { onSettled(): void }) => void

/**
 * The value of a control that saves each change at once, and the function that changes it.
 *
 * The choice is kept here as well as in the mutation: the mutation tells React of its variables a moment later, and a
 * second click in that moment would repeat the first instead of reversing it. TanStack Query calls the `onSettled` of the
 * last of several calls alone, so an earlier answer does not reset a later choice.
 *
 * @param saved What the backend has.
 * @param save Saves a value. Calls must be saved in their order (`scope` of the mutation).
 */
export function useOptimisticChoice<T>(saved: T, save: Save<T>): [T, (value: T) => void] {
  const [chosen, setChosen] = useState<{ value: T }>()
  const choose = (value: T) => {
    setChosen({ value })
    save(value, { onSettled: () => setChosen(undefined) })
  }
  return [chosen ? chosen.value : saved, choose]
}
