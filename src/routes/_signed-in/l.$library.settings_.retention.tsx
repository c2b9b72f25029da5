import { createFileRoute } from '@tanstack/react-router'
import { RetentionScreen } from '../../screens/library/retention-screen.tsx'

// Without a loader: it would bring the queries into what every page loads first.
export const Route = createFileRoute('/_signed-in/l/$library/settings_/retention')({ component: RetentionScreen })
