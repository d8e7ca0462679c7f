export { portalRoutes } from './routes.ts';
export { PortalService } from './service.ts';
export { portalSessionRoutes } from './session-routes.ts';
export { PortalSessionService } from './session-service.ts';
export { PortalPages, PortalSessions, sweepPortalSessions } from './store.ts';
