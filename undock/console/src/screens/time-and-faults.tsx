import { Page } from '../components/page.tsx'
import { ClockPanel } from '../features/time-and-faults/clock-panel.tsx'
import { FaultPanels } from '../features/time-and-faults/fault-panels.tsx'

/** Sets the clock forward, and simulates failures. */
export function TimeAndFaults() {
  return (
    <Page title="Time and faults" subtitle="How an app behaves later, and when something fails">
      <div className="mx-auto grid max-w-4xl gap-6 p-4">
        <ClockPanel />
        <FaultPanels />
      </div>
    </Page>
  )
}
