import type { components } from 'keyward';

type Schemas = components['schemas'];

export type Account = Schemas['Account'];
export type AccessKey = Schemas['AccessKey'];
export type ApiKey = Schemas['ApiKey'];
export type AuditLog = Schemas['AuditLog'];
export type Customer = Schemas['Customer'];
export type CreatedInvitation = Schemas['CreatedInvitation'];
export type Delivery = Schemas['Delivery'];
export type Invitation = Schemas['Invitation'];
export type Leak = Schemas['Leak'];
export type Plan = Schemas['Plan'];
export type Project = Schemas['Project'];
export type Refusal = Schemas['Refusal'];
export type Teammate = Schemas['Teammate'];
export type UsageRow = Schemas['UsageRow'];
export type Webhook = Schemas['Webhook'];
export type WebhookReplay = Schemas['WebhookReplay'];
