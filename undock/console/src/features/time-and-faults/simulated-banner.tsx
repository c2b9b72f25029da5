import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { tellFailure } from '../../components/toast.tsx'
import { clockQuery, faultsQuery, turnAllOff } from './queries.ts'
import { simulated } from './simulated.ts'

/** Shows active simulations on every screen, so that they aren't mistaken for real faults. */
export function SimulatedBanner() {
  const queryClient = useQueryClient()
  const { data: clock } = useQuery(clockQuery)
  const { data: faults } = useQuery(faultsQuery)
  const off = useMutation({ mutationFn: () => turnAllOff(queryClient), onError: tellFailure })
  const texts = simulated(clock, faults)
  if (texts.length === 0) return null
  return (
    <section
      aria-label="Simulated"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b bg-warn-soft px-4 py-1.5 text-[13px] text-warn"
    >
      <Link to="/time-and-faults" className="min-w-0 font-medium underline">
        {texts.join(' ')}
      </Link>
      <Button className="ml-auto" disabled={off.isPending} onClick={() => off.mutate()}>
        Turn all off
      </Button>
    </section>
  )
}
