import { useState } from 'react'

/** The part of TanStack Query's `mutate` that the hook needs. */
type Save<T> = (value: T, options: { onSettled(): void }) => void

/** Returns the value of a control that saves immediately, and its setter.
 *  Kept in state besides the mutation: React sees the mutation's variables a moment later, when a second click would
 *  repeat the first instead of reversing it. Only the last call's `onSettled` runs, so earlier responses don't reset
 *  later choices.
 *  @param saved The stored value. @param save Must be serialized (`scope` of the mutation). */
export function useOptimisticChoice<T>(saved: T, save: Save<T>): [T, (value: T) => void] {
  const [chosen, setChosen] = useState<{ value: T }>()
  const choose = (value: T) => {
    setChosen({ value })
    save(value, { onSettled: () => setChosen(undefined) })
  }
  return [chosen ? chosen.value : saved, choose]
}
