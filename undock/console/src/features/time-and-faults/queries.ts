import { queryOptions } from '@tanstack/react-query'
import type { FaultState } from '../../../../src/runtime/control/simulated-faults.ts'
import type { ClockState, FaultChange } from '../../../../src/runtime/control/time-and-faults.ts'
import { queryClient, refresh, service } from '../../lib/api.ts'

export type { ClockState, FaultChange, FaultState }

/** Milliseconds between checks, because tests and other programs also change switches. */
const LOOK_AGAIN = 5_000

export const clockQuery = queryOptions({
  queryKey: ['clock'],
  queryFn: ({ signal }) => service<ClockState>('/undock/v1/clock', { signal }),
  refetchInterval: LOOK_AGAIN,
})

export const faultsQuery = queryOptions({
  queryKey: ['faults'],
  queryFn: ({ signal }) => service<FaultState>('/undock/v1/faults', { signal }),
  refetchInterval: LOOK_AGAIN,
})

/** @param by Such as `1h30m`; undefined for the machine's own time. @throws {ApiError} */
export async function setClock(by: string | undefined): Promise<void> {
  const body = by === undefined ? {} : { by }
  queryClient.setQueryData(clockQuery.queryKey, await service<ClockState>('/undock/v1/clock', { method: 'POST', body }))
}

/** Toggles a switch, and shows it immediately. @throws {ApiError} */
export async function setFault(body: FaultChange): Promise<void> {
  const { queryKey } = faultsQuery
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, (before) => before && afterChange(before, body))
  try {
    queryClient.setQueryData(queryKey, await service<FaultState>('/undock/v1/faults', { method: 'POST', body }))
  } catch (error) {
    await refresh(queryKey)
    throw error
  }
}

function afterChange(state: FaultState, change: FaultChange): FaultState {
  switch (change.do) {
    case 'go-offline':
    case 'go-online':
      return { ...state, isOffline: change.do === 'go-offline' }
    case 'fail': {
      const { service: name, status = 503, times = null } = change
      return { ...state, failures: { ...state.failures, [name]: { status, times } } }
    }
    case 'stop-failing': {
      const { [change.service]: _, ...failures } = state.failures
      return { ...state, failures }
    }
    default:
      return state
  }
}

/** Ends all simulations. @throws {ApiError} */
export async function turnAllOff(): Promise<void> {
  await Promise.all([setFault({ do: 'clear' }), setClock(undefined)])
}
