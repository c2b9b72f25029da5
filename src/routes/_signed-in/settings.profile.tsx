import { createFileRoute } from '@tanstack/react-router'
import { ProfileScreen } from '../../screens/settings/profile-screen.tsx'

export const Route = createFileRoute('/_signed-in/settings/profile')({ component: ProfileScreen })
