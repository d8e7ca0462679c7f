export { TransactionalOutbox } from './outbox.ts';
