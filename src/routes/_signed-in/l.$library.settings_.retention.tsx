import { createFileRoute } from '@tanstack/react-router'
import { RetentionScreen } from '../../screens/library/retention-screen.tsx'

// Without a loader, whose imports every page would load.
export const Route = createFileRoute('/_signed-in/l/$library/settings_/retention')({ component: RetentionScreen })
