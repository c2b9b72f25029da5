import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { showToast } from '../lib/ui/toast.ts'
import { describeFailure } from './failure.ts'

export function showFailure(error: unknown): void {
  const { title, advice } = describeFailure(error)
  showToast({ title, description: advice, failed: true })
}

/** Uses a mutation whose failures are shown as toasts, because it has no place on the screen. */
export const useAction = <Result, Variables>(
  mutation: UseMutationOptions<Result, Error, Variables>,
  options: Pick<UseMutationOptions<Result, Error, Variables>, 'onSuccess' | 'onSettled' | 'scope'> = {},
): UseMutationResult<Result, Error, Variables> => useMutation({ ...mutation, onError: showFailure, ...options })
