export { PreviewService } from './preview/service.ts';
export { planRoutes } from './routes.ts';
export { Plan } from './schema.ts';
export { PlanService } from './service.ts';
