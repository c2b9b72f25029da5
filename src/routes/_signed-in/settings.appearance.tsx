import { createFileRoute } from '@tanstack/react-router'
import { AppearanceScreen } from '../../screens/settings/appearance-screen.tsx'

export const Route = createFileRoute('/_signed-in/settings/appearance')({ component: AppearanceScreen })
